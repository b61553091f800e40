// The intrinsic functions of CloudFormation that occur in the template, resolved to what the sandbox has in the place of AWS.

export interface Scope {
  /** What `Ref` gives. @throws Error when there is nothing of this name */
  ref(name: string): string;
  /** What `Fn::GetAtt` gives. @throws Error when there is no such attribute */
  attribute(name: string, attribute: string): string;
}

/** A copy in which every intrinsic function is replaced by its value. @throws Error for one that is not known here */
export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => resolve(item, scope));
  if (typeof value !== 'object' || value === null) return value;
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  const [first] = entries;
  if (first !== undefined && entries.length === 1 && /^(Ref$|Fn::)/.test(first[0]))
    return call(first[0], first[1], scope);
  return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item, scope)]));
}

function call(name: string, given: unknown, scope: Scope): string {
  switch (name) {
    case 'Ref':
      return scope.ref(String(given));
    case 'Fn::GetAtt':
      return attribute(typeof given === 'string' ? given.split('.') : listOf(given, scope), scope);
    case 'Fn::Join': {
      const [separator = '', parts] = Array.isArray(given) ? given : [];
      return listOf(parts, scope).join(String(separator));
    }
    case 'Fn::Sub': {
      const [text, values] = Array.isArray(given) ? given : [given, {}];
      return substitute(String(text), Object(resolve(values, scope)), scope);
    }
    default:
      throw new Error(`the template uses ${name}, which the sandbox does not know`);
  }
}

const listOf = (value: unknown, scope: Scope): readonly string[] =>
  Array.isArray(value) ? value.map((item: unknown) => String(resolve(item, scope))) : [];

const attribute = ([name = '', ...rest]: readonly string[], scope: Scope): string =>
  scope.attribute(name, rest.join('.'));

/** `${A}` is a Ref or one of the values, `${A.B}` an attribute, `${!A}` the text `${A}`. */
function substitute(text: string, values: Readonly<Record<string, unknown>>, scope: Scope): string {
  return text.replaceAll(/\$\{([^}]+)\}/g, (_whole, name: string) => {
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    if (name in values) return String(values[name]);
    return name.includes('.') ? attribute(name.split('.'), scope) : scope.ref(name);
  });
}
