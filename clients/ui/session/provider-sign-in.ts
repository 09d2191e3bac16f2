import type { Schemas } from '../../typescript/typed/index.js'
import { client, signIn, signOut } from './session.js'

export interface Method {
  readonly name: string
  /** Undefined for the default namespace. */
  readonly namespace: string | undefined
  readonly isKept: boolean
}

interface PendingLogin extends Method {
  readonly state: string
  readonly nonce: string
}

/** The redirect target of the provider. */
export const CALLBACK = '/ui/oidc/callback'
/** The page of codes of `annals ui`. */
export const CODE_PAGE = '/ui/sign-in/code'
const BEGUN_AS = 'annals-oidc'

/** Sends a login request, which must not carry a token. @throws RequestRefused */
const postAnonymously = async <Value>(
  action: string,
  { namespace }: Pick<Method, 'namespace'>,
  body: object
): Promise<Value> => {
  const connection = client.value.connection.with({ token: '' })
  const answer = await connection.request('POST', `/v1/acl/${action}`, { query: { ns: namespace }, body })
  return answer.json<Value>()
}

const randomHex = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')

const isPendingLogin = (value: unknown): value is PendingLogin =>
  typeof value === 'object' && value !== null && 'name' in value && 'state' in value && 'nonce' in value

/** Removes and returns the pending login of this tab. */
const takePendingLogin = (): PendingLogin | undefined => {
  const text = sessionStorage.getItem(BEGUN_AS)
  sessionStorage.removeItem(BEGUN_AS)
  const value: unknown = text === null ? undefined : JSON.parse(text)
  return isPendingLogin(value) ? value : undefined
}

/** Redirects to the provider of an OIDC method. @throws RequestRefused */
export const redirectToProvider = async (method: Method): Promise<void> => {
  const nonce = randomHex()
  const body = { AuthMethod: method.name, RedirectURI: location.origin + CALLBACK, ClientNonce: nonce }
  const { AuthURL } = await postAnonymously<{ readonly AuthURL: string }>('oidc/auth-url', method, body)
  const pending: PendingLogin = { ...method, nonce, state: new URL(AuthURL).searchParams.get('state') ?? '' }
  sessionStorage.setItem(BEGUN_AS, JSON.stringify(pending))
  location.assign(AuthURL)
}

type CreatedToken = Schemas['Token']

/** Completes an OIDC login with the parameters of the provider's redirect. @throws Error with a message for users */
export const completeProviderSignIn = async (parameters: URLSearchParams): Promise<void> => {
  const pending = takePendingLogin()
  const refusal = parameters.get('error')
  if (refusal !== null) {
    const more = parameters.get('error_description')
    throw new Error(`The provider returned: ${refusal}${more === null ? '' : `, ${more}`}`)
  }
  if (!pending) throw new Error('No sign-in was started in this tab.')
  if (pending.state !== parameters.get('state'))
    throw new Error('The response belongs to a different sign-in than the one started in this tab.')
  const body = {
    AuthMethod: pending.name,
    State: pending.state,
    Code: parameters.get('code') ?? '',
    ClientNonce: pending.nonce
  }
  const { SecretID } = await postAnonymously<CreatedToken>('oidc/callback', pending, body)
  await signIn(SecretID, pending.isKept)
}

/** @throws RequestRefused */
export const signInWithJwt = async (method: Method, jwt: string): Promise<void> => {
  const body = { AuthMethod: method.name, BearerToken: jwt }
  const { SecretID } = await postAnonymously<CreatedToken>('login', method, body)
  await signIn(SecretID, method.isKept)
}

/** Exchanges a code of `annals ui` for its token, and keeps it until the tab is closed. @throws RequestRefused */
export const signInWithCode = async (Code: string): Promise<void> => {
  const { SecretID } = await postAnonymously<Schemas['SignInToken']>(
    'sign-in',
    { namespace: undefined },
    { Code }
  )
  await signIn(SecretID, true)
}

/** Destroys the token of a login and signs out. @throws RequestRefused */
export const logOutToken = async (): Promise<void> => {
  await client.value.connection.request('POST', '/v1/acl/logout')
  signOut()
}
