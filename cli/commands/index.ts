// Every command, in the order of the help.
import type { Command } from '../command.ts';
import { plan } from './plan.ts';
import { status } from './status.ts';
import { sync } from './sync.ts';

export const COMMANDS: readonly Command[] = [plan, sync, status];
