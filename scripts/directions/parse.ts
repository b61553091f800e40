// Finds in one module what the rules are about: what it imports, and where it reads the environment.
import { type Expression, type Node, type ParseResult, Visitor, parseSync } from 'oxc-parser';

export interface Import {
  /** as written; undefined when it is computed at run time */
  readonly specifier: string | undefined;
  readonly line: number;
  /** it brings in types only, which are gone at run time */
  readonly typeOnly: boolean;
}

export interface Module {
  /** relative to the project, with `/` */
  readonly path: string;
  readonly imports: readonly Import[];
  /** lines that read the environment of the process */
  readonly environment: readonly number[];
}

interface Found {
  readonly specifier: string | undefined;
  readonly start: number;
  readonly typeOnly: boolean;
}

/** @throws Error when the text is no TypeScript or JavaScript module */
export function parseModule(path: string, text: string): Module {
  const result = parseSync(path, text, { sourceType: 'module' });
  const mistake = result.errors[0];
  if (mistake !== undefined) throw new Error(`${path}: ${mistake.message}`);
  const { typeImports, environment } = walk(result);
  const found = [
    ...staticImports(result),
    ...reexports(result),
    ...dynamicImports(result, text),
    ...typeImports,
  ];
  const lineOf = (start: number) => text.slice(0, start).split('\n').length;
  return {
    path,
    imports: found.map(({ start, ...rest }) => ({ ...rest, line: lineOf(start) })),
    environment: environment.map(lineOf),
  };
}

function staticImports({ module }: ParseResult): readonly Found[] {
  return module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    start: moduleRequest.start,
    typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
}

function reexports({ module }: ParseResult): readonly Found[] {
  return module.staticExports.flatMap(({ entries }) => {
    const request = entries.find(({ moduleRequest }) => moduleRequest !== null)?.moduleRequest;
    if (!request) return [];
    const typeOnly = entries.every(({ isType }) => isType);
    return [{ specifier: request.value, start: request.start, typeOnly }];
  });
}

function dynamicImports({ module }: ParseResult, text: string): readonly Found[] {
  return module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
    specifier: /^(['"`])([^$'"`]+)\1$/.exec(text.slice(start, end))?.[2],
    start,
    typeOnly: false,
  }));
}

/** What the module record does not tell: `import('x').T` in types, and the environment. */
function walk({ program }: ParseResult): { typeImports: Found[]; environment: number[] } {
  const typeImports: Found[] = [];
  const environment: number[] = [];
  const takenApart = (target: Node, value: Node | null, start: number) => {
    if (target.type === 'ObjectPattern' && value !== null && isProcess(value)) environment.push(start);
  };
  new Visitor({
    TSImportType: ({ source }) => {
      typeImports.push({ specifier: source.value, start: source.start, typeOnly: true });
    },
    MemberExpression: (node) => {
      if (isProcess(node.object) && propertyOf(node) === 'env') environment.push(node.start);
    },
    VariableDeclarator: ({ id, init, start }) => takenApart(id, init, start),
    AssignmentPattern: ({ left, right, start }) => takenApart(left, right, start),
    AssignmentExpression: ({ left, right, start }) => takenApart(left, right, start),
  }).visit(program);
  return { typeImports, environment };
}

/** `process`, or `process` of something: `globalThis.process`. */
function isProcess(node: Node): boolean {
  if (node.type === 'Identifier') return node.name === 'process';
  return node.type === 'MemberExpression' && propertyOf(node) === 'process';
}

function propertyOf({ property }: { readonly property: Expression | Node }): string | undefined {
  if (property.type === 'Identifier') return property.name;
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : undefined;
}
