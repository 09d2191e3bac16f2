// What a server is to have whose profile a case file names: its section `acl`, and the token that the steps take for root.
import type { TestResponse } from '../support/client.js'
import type { Profile } from './case-file.js'

/** The section `acl` of the configuration. */
export const aclOf = ({ acl = 'deny', initial_management: initialManagement }: Profile) => ({
  enabled: acl !== 'off',
  default_policy: acl === 'allow' ? 'allow' : 'deny',
  ...(initialManagement === undefined ? {} : { tokens: { initial_management: initialManagement } })
})

/**
 * The secret of a management token: the configured one, or one that is bootstrapped; undefined where the profile has none.
 * @param send a request without a token
 * @throws Error when the bootstrap is refused
 */
export const rootOf = async (
  { acl = 'deny', initial_management: initialManagement, bootstrap = true }: Profile,
  send: (method: string, path: string) => Promise<TestResponse>
): Promise<string | undefined> => {
  if (acl === 'off' || !bootstrap || initialManagement !== undefined) return initialManagement
  const { status, text } = await send('PUT', '/v1/acl/bootstrap')
  if (status !== 200) throw new Error(`bootstrap was answered ${status} ${text}`)
  const { SecretID }: { readonly SecretID: string } = JSON.parse(text)
  return SecretID
}
