// The files of deploy/ and the page about them: least privilege, one group, and a page that names every right.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FOLDER, GROUP, isRole, readManifests, readText, rightsOf, rightText } from './manifests.ts';

const RBAC_FILES = ['source-namespaces-rbac.yaml', 'source-rbac.yaml', 'target-rbac.yaml'];
const TEMPLATES = ['access-entry.yaml', 'cross-account-role.yaml'];

it('these are all the files', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual([...TEMPLATES, ...RBAC_FILES].toSorted());
});

describe.each(RBAC_FILES)('%s', (file) => {
  const manifests = readManifests(file);

  it('grants to one group, each role by a binding of its kind and name', () => {
    const roles = manifests.filter(isRole);
    const bindings = manifests.filter((manifest) => !isRole(manifest));
    expect(
      bindings.map(({ kind, metadata, roleRef, subjects }) => ({ kind, metadata, roleRef, subjects })),
    ).toEqual(
      roles.map(({ kind, metadata }) => ({
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: GROUP }],
      })),
    );
  });

  it('grants nothing as a whole, and no right twice', () => {
    const rights = rightsOf(manifests);
    expect(rights.filter(({ verb, group, resource }) => [verb, group, resource].includes('*'))).toEqual([]);
    expect(rights.map(rightText)).toEqual([...new Set(rights.map(rightText))]);
  });

  it('is explained right by right in docs/access.md', () => {
    expect(documented(file)).toEqual(rightsOf(manifests).map(rightText).toSorted());
  });
});

it('a target cluster grants no write', () => {
  const verbs = new Set(rightsOf(readManifests('target-rbac.yaml')).map(({ verb }) => verb));
  expect([...verbs].toSorted()).toEqual(['get', 'list']);
});

/** The rights in the table of the page that follows the link to a file. */
function documented(file: string): readonly string[] {
  const page = readFileSync(join(FOLDER, '../docs/access.md'), 'utf8');
  const section = page.slice(page.indexOf(`[deploy/${file}]`));
  const rows = section.slice(section.indexOf('| right |')).split('\n\n')[0] ?? '';
  return [...rows.matchAll(/^\| `([^`]+)` \|/gm)].map(([, right = '']) => right).toSorted();
}

interface Template {
  readonly Parameters: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: Properties }>>;
}
interface Properties {
  readonly KubernetesGroups?: readonly string[];
  readonly AccessPolicies?: unknown;
  readonly Type?: string;
  readonly Policies?: readonly unknown[];
  readonly AssumeRolePolicyDocument?: { readonly Statement: readonly unknown[] };
}

const readTemplate = (file: string): Template => parse(readText(file));

describe.each(TEMPLATES)('%s', (file) => {
  it('lets one principal in as a member of the group, and grants nothing besides', () => {
    const { AccessEntry: entry } = readTemplate(file).Resources;
    expect(entry).toMatchObject({
      Type: 'AWS::EKS::AccessEntry',
      Properties: { Type: 'STANDARD', KubernetesGroups: [GROUP] },
    });
    expect(entry?.Properties.AccessPolicies).toBeUndefined();
  });

  it('is named in docs/access.md', () => {
    expect(readFileSync(join(FOLDER, '../docs/access.md'), 'utf8')).toContain(`(../deploy/${file})`);
  });
});

it('the role of another account is trusted to one caller with the external ID, and may describe its cluster', () => {
  const { Role: role } = readTemplate('cross-account-role.yaml').Resources;
  expect(role?.Properties.AssumeRolePolicyDocument?.Statement).toEqual([
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Principal: { AWS: { Ref: 'CallerRoleArn' } },
      Condition: { StringEquals: { 'sts:ExternalId': { Ref: 'ExternalId' } } },
    },
  ]);
  expect(role?.Properties.Policies).toEqual([
    {
      PolicyName: 'describe-cluster',
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: 'eks:DescribeCluster',
            Resource: {
              'Fn::Sub': 'arn:${AWS::Partition}:eks:${AWS::Region}:${AWS::AccountId}:cluster/${ClusterName}',
            },
          },
        ],
      },
    },
  ]);
});
