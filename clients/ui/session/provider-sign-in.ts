// Logging in by an auth method, and what of it outlasts the way to a provider and back.
import type { Connection } from '../../typescript/connection.js'
import { client, signIn, signOut } from './session.js'

/** How somebody logs in. */
export interface Method {
  readonly name: string
  /** Where the auth method is; undefined for the default namespace. */
  readonly namespace: string | undefined
  readonly isKept: boolean
}

interface Begun extends Method {
  readonly state: string
  readonly nonce: string
}

/** Where the provider sends the browser back to. */
export const CALLBACK = '/ui/oidc/callback'
const BEGUN_AS = 'annals-oidc'

/** Whoever logs in shows no token. */
const stranger = (): Connection => client.value.connection.with({ token: '' })

const drawn = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')

const isBegun = (value: unknown): value is Begun =>
  typeof value === 'object' && value !== null && 'name' in value && 'state' in value && 'nonce' in value

/** What was begun in this tab, once. */
const takeBegun = (): Begun | undefined => {
  const text = sessionStorage.getItem(BEGUN_AS)
  sessionStorage.removeItem(BEGUN_AS)
  const value: unknown = text === null ? undefined : JSON.parse(text)
  return isBegun(value) ? value : undefined
}

/** Sends the browser to the provider of an OIDC method. @throws RequestRefused */
export const goToProvider = async (method: Method): Promise<void> => {
  const nonce = drawn()
  const body = {
    AuthMethod: method.name,
    RedirectURI: location.origin + CALLBACK,
    ClientNonce: nonce
  }
  const answer = await stranger().request('POST', '/v1/acl/oidc/auth-url', {
    query: { ns: method.namespace },
    body
  })
  const { AuthURL } = await answer.json<{ readonly AuthURL: string }>()
  const begun: Begun = { ...method, nonce, state: new URL(AuthURL).searchParams.get('state') ?? '' }
  sessionStorage.setItem(BEGUN_AS, JSON.stringify(begun))
  location.assign(AuthURL)
}

interface Made {
  readonly SecretID: string
}

/** Ends an OIDC login by what the provider sent back. @throws Error that says what went wrong */
export const completeProviderSignIn = async (given: URLSearchParams): Promise<void> => {
  const begun = takeBegun()
  const refusal = given.get('error')
  if (refusal !== null) {
    const more = given.get('error_description')
    throw new Error(`The provider says: ${refusal}${more === null ? '' : `, ${more}`}`)
  }
  if (!begun) throw new Error('No login was begun in this tab.')
  if (begun.state !== given.get('state'))
    throw new Error('What came back belongs to another login than the one that was begun in this tab.')
  const body = {
    AuthMethod: begun.name,
    State: begun.state,
    Code: given.get('code') ?? '',
    ClientNonce: begun.nonce
  }
  const query = { ns: begun.namespace }
  const answer = await stranger().request('POST', '/v1/acl/oidc/callback', { query, body })
  await signIn((await answer.json<Made>()).SecretID, begun.isKept)
}

/** Logs in by a JWT. @throws RequestRefused */
export const signInWithJwt = async (method: Method, jwt: string): Promise<void> => {
  const body = { AuthMethod: method.name, BearerToken: jwt }
  const answer = await stranger().request('POST', '/v1/acl/login', { query: { ns: method.namespace }, body })
  await signIn((await answer.json<Made>()).SecretID, method.isKept)
}

/** Destroys the token, which a login made, and forgets it. @throws RequestRefused */
export const logOutToken = async (): Promise<void> => {
  await client.value.connection.request('POST', '/v1/acl/logout')
  signOut()
}
