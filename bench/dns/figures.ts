// The simulations of the gateway engine: no cluster, no network, a clock that jumps.
import type { Figure } from '../measure.ts';
import { costFigures } from './cost.ts';
import { hostileFigures } from './hostile.ts';
import { limitFigures } from './limits.ts';
import { spacingFigures } from './spacing.ts';
import { staleFigures } from './stale.ts';

export const dnsFigures = async (): Promise<readonly Figure[]> => [
  ...(await hostileFigures()),
  ...(await staleFigures()),
  ...(await limitFigures()),
  ...(await spacingFigures()),
  ...costFigures(),
];
