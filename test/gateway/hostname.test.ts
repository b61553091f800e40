// Which hostnames of a gateway's status may be looked up.
import { describe, expect, it } from 'vitest';
import { checkHostname } from '../../lib/gateway/filter.ts';

const CLASSIC = 'name-1234567890.eu-west-1.elb.amazonaws.com';
const label63 = 'a'.repeat(63);
const name253 = `${[label63, label63, label63].join('.')}.${'b'.repeat(48)}.example.test`;

describe('names of load balancers', () => {
  it.each([
    [CLASSIC, CLASSIC],
    [`dualstack.${CLASSIC}`, `dualstack.${CLASSIC}`],
    [`internal-${CLASSIC}`, `internal-${CLASSIC}`],
    [
      'name-0123456789abcdef.elb.us-gov-west-1.amazonaws.com',
      'name-0123456789abcdef.elb.us-gov-west-1.amazonaws.com',
    ],
    ['eu-west-1a.name-0123.elb.eu-west-1.amazonaws.com', 'eu-west-1a.name-0123.elb.eu-west-1.amazonaws.com'],
    ['name-0123.elb.cn-north-1.amazonaws.com.cn', 'name-0123.elb.cn-north-1.amazonaws.com.cn'],
    ['name-12.cn-north-1.elb.amazonaws.com.cn', 'name-12.cn-north-1.elb.amazonaws.com.cn'],
    ['NAME-1.EU-West-1.ELB.amazonaws.COM.', 'name-1.eu-west-1.elb.amazonaws.com'],
  ])('%s is %s', (given, name) => {
    expect(checkHostname(given, [])).toEqual({ ok: true, name });
  });

  it.each([
    'eu-west-1.elb.amazonaws.com', // a region, no balancer
    'elb.eu-west-1.amazonaws.com',
    'bucket.elb.s3.amazonaws.com', // somebody's bucket
    'bucket.s3-eu-west-1.elb.amazonaws.com',
    'name.elb.eu-west-1.amazonaws.com.example.org',
    'name.elb.eu-west-1.amazonaws.org',
    'name.elb.eu-west-1.xamazonaws.com',
    'api.eks.eu-west-1.amazonaws.com',
    'lb.example.test',
  ])('refuses %s', (name) => {
    expect(checkHostname(name, [])).toEqual({
      ok: false,
      message: 'neither a load balancer of AWS nor listed in allowedHostnames',
    });
  });
});

describe('allowedHostnames', () => {
  it.each([
    ['lb.example.test', 'example.test', true],
    ['a.b.example.test', 'example.test', true],
    ['example.test', 'example.test', true],
    ['lb.example.test', 'lb.example.test', true],
    ['lb.example.test', '.example.test', true],
    ['lb.example.test', '*.example.test', true],
    ['lb.example.test', 'Example.Test.', true],
    ['lb.badexample.test', 'example.test', false],
    ['example.test.org', 'example.test', false],
  ])('%s under %s: %s', (name, entry, ok) => {
    expect(checkHostname(name, [entry]).ok).toBe(ok);
  });
});

describe('names that are never looked up, though listed', () => {
  it.each([
    ['localhost', 'expected at least two labels'],
    ['a.localhost', 'names under localhost are never looked up'],
    ['printer.local', 'names under local are never looked up'],
    ['web.default.svc.cluster.local', 'names under local are never looked up'],
    ['ip-10-0-0-1.ec2.internal', 'names under internal are never looked up'],
    ['1.0.0.127.in-addr.arpa', 'names under arpa are never looked up'],
    ['10.1.2.3', 'expected a hostname, found an IP address'],
    ['::1', 'expected a hostname, found an IP address'],
    ['0x7f.1', 'the last label is a number'],
    ['a.0x7f', 'the last label is a number'],
    ['127.1', 'the last label is a number'],
    ['010.1.2.3', 'the last label is a number'],
    ['2130706433', 'expected at least two labels'],
    ['single', 'expected at least two labels'],
    ['', 'expected labels of a-z, 0-9 and -, 1 to 63 characters'],
    ['.', 'expected labels of a-z, 0-9 and -, 1 to 63 characters'],
    ['a..test', 'expected labels of a-z, 0-9 and -, 1 to 63 characters'],
    ['lb.test..', 'expected labels of a-z, 0-9 and -, 1 to 63 characters'],
    ['under_score.test', 'expected labels of a-z, 0-9 and -, 1 to 63 characters'],
    ['-dash.test', 'expected labels of a-z, 0-9 and -, 1 to 63 characters'],
    ['a b.test', 'expected labels of a-z, 0-9 and -, 1 to 63 characters'],
    ['lb.test:80', 'expected labels of a-z, 0-9 and -, 1 to 63 characters'],
    ['ümlaut.test', 'expected labels of a-z, 0-9 and -, 1 to 63 characters'],
    [`${label63}a.test`, 'expected labels of a-z, 0-9 and -, 1 to 63 characters'],
    [`b${name253}`, 'expected at most 253 characters, found 254'],
  ])('%j: %s', (name, message) => {
    expect(checkHostname(name, [name])).toEqual({ ok: false, message });
  });

  it('just inside the limits pass', () => {
    expect(name253).toHaveLength(253);
    expect(checkHostname(name253, ['example.test'])).toEqual({ ok: true, name: name253 });
    expect(checkHostname('3scale.localdomain.test', ['test']).ok).toBe(true);
    expect(checkHostname('internal.example.test', ['example.test']).ok).toBe(true);
  });
});
