// What a failed request to AWS means for an operator, in one line that holds nothing of the signed request.
import { awsFailure } from '../../lib/aws-failures.ts';
import { StackError, stackName } from '../stack.ts';

export interface Asked {
  readonly stage: string;
  readonly region: string;
  /** What does not exist where AWS says so: `table eks-service-mirror-dev-state`. */
  readonly resource: string;
  readonly request: string; // what was asked of AWS: `Invoke eks-service-mirror-dev-resync`
}

export function stackFailure(error: unknown, { stage, region, resource, request }: Asked): StackError {
  if (isMissing(error)) {
    return new StackError(
      `no stack ${stackName(stage)} in region ${region} (there is no ${resource}): deploy it, or pass --stage or --region`,
    );
  }
  return new StackError(`${request}: ${awsFailure(error, request).message}`);
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ResourceNotFoundException';
