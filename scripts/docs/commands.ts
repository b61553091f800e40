// The help of every command, as the command line prints it.
import { COMMANDS } from '../../cli/commands/index.ts';
import { run } from '../../cli/main.ts';
import { systemClock } from '../../lib/clock.ts';

/** Markdown: one heading and one block for each command. */
export async function commandHelp(): Promise<string> {
  const parts = await Promise.all(
    COMMANDS.map(async ({ name }) => `## ${name}\n\n\`\`\`text\n${(await helpOf(name)).trim()}\n\`\`\``),
  );
  return parts.join('\n\n');
}

async function helpOf(command: string): Promise<string> {
  let text = '';
  const output = {
    isTTY: false,
    write: (part: string) => {
      text += part;
    },
  };
  const code = await run([command, '--help'], {
    stdout: output,
    stderr: output,
    env: {},
    clock: systemClock,
  });
  if (code !== 0) throw new Error(`${command} --help: expected exit code 0, got ${code}`);
  return text;
}
