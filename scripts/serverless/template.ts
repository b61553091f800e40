// Small words of CloudFormation templates.

export type Attributes = Readonly<Record<string, unknown>>;

export const attributeOf = (resource: string, attribute: string): Attributes => ({
  'Fn::GetAtt': [resource, attribute],
});

/** Text with `${AWS::Region}` and the like in it. */
export const joined = (text: string): Attributes => ({ 'Fn::Sub': text });

/** How the framework names what belongs to a function: `TickLambdaFunction`, `TickLogGroup`. */
export const logicalName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
