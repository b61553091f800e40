// Data as JSON and YAML text.
import { stringify } from 'yaml';
import type { Data } from '../../lib/runs/report-data.ts';

export const toJson = (data: Data): string => `${JSON.stringify(data, undefined, 2)}\n`;
export const toYaml = (data: Data): string => stringify(data, { lineWidth: 0, aliasDuplicateObjects: false });
