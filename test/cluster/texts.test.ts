// The files that are written for programs: tokens, kubeconfigs, Corefiles and zones.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubernetesZone, recordsZone, zones } from './corefile.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { issueTokens } from './users.ts';

describe('issueTokens', () => {
  it('gives each user a token of its own, the admin first', () => {
    const { tokens, file } = issueTokens([{ name: 'reader' }, { name: 'a, "b"', groups: ['dev', 'ops'] }]);
    expect(Object.keys(tokens)).toEqual(['admin', 'reader', 'a, "b"']);
    expect(new Set(Object.values(tokens)).size).toBe(3);
    expect(file.split('\n')).toEqual([
      `"${tokens['admin']}","admin","admin","system:masters"`,
      `"${tokens['reader']}","reader","reader",""`,
      `"${tokens['a, "b"']}","a, ""b""","a, ""b""","dev,ops"`,
      '',
    ]);
  });

  it.each([['reader', 'reader'], ['admin']])('refuses the names %s %s', (...names) => {
    expect(() => issueTokens(names.map((name) => ({ name })))).toThrow('need different names');
  });
});

describe('kubeconfigText', () => {
  it('holds everything inline', () => {
    const text = kubeconfigText({
      name: 'west',
      url: 'https://127.0.0.1:20001',
      caData: 'PEM\n',
      user: 'reader',
      token: '1e5',
    });
    expect(parse(text)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'west',
          cluster: { server: 'https://127.0.0.1:20001', 'certificate-authority-data': 'UEVNCg==' },
        },
      ],
      users: [{ name: 'reader', user: { token: '1e5' } }],
      contexts: [{ name: 'west', context: { cluster: 'west', user: 'reader' } }],
      'current-context': 'west',
    });
  });
});

describe('zones', () => {
  it('puts a cluster and a zone of records into one server', () => {
    const records = recordsZone({
      zone: 'elb.example.test',
      records: ['gateway 60 IN A 192.0.2.1'],
      negativeTtl: 30,
    });
    expect(zones([kubernetesZone({ kubeconfig: 'KUBECONFIG' }), records])).toEqual({
      corefile: `cluster.local {
  bind 127.0.0.1
  errors
  kubernetes cluster.local {
    kubeconfig cluster.local.kubeconfig
    ttl 5
  }
}
elb.example.test {
  bind 127.0.0.1
  errors
  file elb.example.test.zone {
    reload 200ms
    reload_by_mtime
  }
}
`,
      files: {
        'cluster.local.kubeconfig': 'KUBECONFIG',
        'elb.example.test.zone': `$ORIGIN elb.example.test.
@ 30 IN SOA ns hostmaster 1 3600 600 86400 30
@ 60 IN NS ns
ns 60 IN A 127.0.0.1
gateway 60 IN A 192.0.2.1
`,
      },
    });
  });
});
