import {
  CreateAccessKeyCommand,
  CreateUserCommand,
  GetRolePolicyCommand,
  IAMClient,
  ListRolePoliciesCommand,
  ListRolesCommand,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import { localClientConfig } from '@usher/loopback';
import { aws } from './emulator.ts';
import type { Credentials } from './operator.ts';

/**
 * Makes a user who may do what a function's deployed role may, and nothing else: with its key a test does what whoever
 * took that function over could do.
 *
 * @param role the role's name in the stack
 */
export async function userOfRole(endpoint: string, role: string): Promise<Credentials> {
  const iam = new IAMClient({ ...localClientConfig(endpoint), region: aws.region, credentials: aws.credentials });
  const { Roles = [] } = await iam.send(new ListRolesCommand({}));
  const RoleName = Roles.map((one) => one.RoleName ?? '').find((name) => name.includes(role));
  if (RoleName === undefined) throw new Error(`IAM has no role ${role}`);
  const UserName = `as-${role}`;
  await iam.send(new CreateUserCommand({ UserName }));
  const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
  if (PolicyNames.length === 0) throw new Error(`${RoleName} has no policy`);
  for (const PolicyName of PolicyNames) {
    const { PolicyDocument = '' } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
    // IAM answers a document URL-encoded (API reference, GetRolePolicy).
    const document = decodeURIComponent(PolicyDocument);
    await iam.send(new PutUserPolicyCommand({ UserName, PolicyName, PolicyDocument: document }));
  }
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey } = AccessKey ?? {};
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new Error(`IAM made no key for ${UserName}`);
  return { accessKeyId, secretAccessKey };
}
