// One cold reconcile between the clusters of its arguments (URL, token, CA of each); prints this process' peak resident memory in KiB.
import { systemClock } from '../lib/clock.ts';
import { memoryStore } from '../lib/store/memory.ts';
import { GATEWAY_HOST } from '../test/support/builders.ts';
import { testDns } from '../test/support/dns.ts';
import { runOnce } from './ground.ts';

const [sourceUrl = '', sourceToken = '', sourceCa = '', targetUrl = '', targetToken = '', targetCa = ''] =
  process.argv.slice(2);
const access = {
  source: { url: sourceUrl, token: sourceToken, caData: sourceCa },
  target: { url: targetUrl, token: targetToken, caData: targetCa },
};
const dns = testDns();
dns.set(GATEWAY_HOST, ['203.0.113.10', '203.0.113.11']);
const report = await runOnce(access, { clock: systemClock, dns, store: memoryStore() }, { dryRun: false });
if (report.outcomes?.some(({ result }) => result !== 'applied') !== false)
  throw new Error('not every change was applied');
process.stdout.write(String(process.resourceUsage().maxRSS));
