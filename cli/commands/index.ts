// Every command, in the order of the help.
import type { Command } from '../command.ts';
import { gateways } from './gateways.ts';
import { link } from './link.ts';
import { links } from './links.ts';
import { plan } from './plan.ts';
import { resync } from './resync.ts';
import { status } from './status.ts';
import { sync } from './sync.ts';
import { unlink } from './unlink.ts';

export const COMMANDS: readonly Command[] = [plan, sync, status, gateways, links, link, resync, unlink];
