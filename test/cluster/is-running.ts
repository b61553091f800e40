// Tells tests whether a process is still there.
import { spawnSync } from 'node:child_process';

/** False for a zombie too: it has ended, only its parent has not asked yet. */
export function isRunning(pid: number): boolean {
  const { stdout, error } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  if (error) throw error;
  const state = stdout.trim();
  return state !== '' && !state.startsWith('Z');
}
