// Verification of service account tokens by the API server of Kubernetes (spec: auth.md §3).
import type { Identity } from '../../projections/acl/binding-rules.js'
import type { KubernetesConfig } from '../auth-method/config.js'
import { LoginDenied } from '../refusal.js'
import { ProviderError, type ProviderResponse, type ProviderHttp } from './provider-http.js'
import { fromProvider } from './provider.js'
import { checkedToken, type Verifier } from './jwt-verifier.js'
import { isObject, parseObject } from '../../events/values.js'

const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews'
/** Overrides the name of the service account (decisions.md 19). */
const ANNOTATION = 'consul.hashicorp.com/service-name'
const USERNAME = /^system:serviceaccount:([^:]+):([^:]+)$/

const fieldOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

interface Account {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/**
 * Returns the object in the API server's response.
 * @param isKnown true after a first response that proves it is an API server, whose error texts the caller may see
 * @throws ProviderError for an error response
 */
const responseObject = (response: ProviderResponse, isKnown: boolean): Readonly<Record<string, unknown>> => {
  const object = parseObject(response.text)
  if (response.status < 200 || response.status > 299 || !object) {
    const message = textOf(fieldOf(object, 'message'))
    const text = `the API server answered ${response.status}${message === '' ? '' : `: ${message}`}`
    throw isKnown ? new ProviderError(text, text) : new ProviderError(text)
  }
  return object
}

/** @throws LoginDenied for an invalid token */
const accountOf = (review: unknown): Account => {
  // An error of another type must not let the token pass.
  const error = fieldOf(review, 'status', 'error') ?? ''
  if (error !== '')
    throw new LoginDenied(`lookup failed: ${typeof error === 'string' ? error : JSON.stringify(error)}`)
  if (fieldOf(review, 'status', 'authenticated') !== true)
    throw new LoginDenied('lookup failed: service account jwt not valid')
  const username = textOf(fieldOf(review, 'status', 'user', 'username'))
  const [, namespace, name] = USERNAME.exec(username) ?? []
  if (namespace === undefined || name === undefined)
    throw new LoginDenied(
      username.split(':').length === 4
        ? 'lookup failed: username returned is not a service account'
        : 'lookup failed: unexpected username format'
    )
  return { namespace, name, uid: textOf(fieldOf(review, 'status', 'user', 'uid')) }
}

export const identityOfAccount = (account: Account): Identity => ({
  selectable: { serviceaccount: account },
  variables: new Map(
    Object.entries(account).map(([name, text]) => [`serviceaccount.${name}`, String(text).toLowerCase()])
  )
})

export const kubernetesVerifier = (
  { host, ca, serviceAccountJwt }: KubernetesConfig,
  http: ProviderHttp
): Verifier => {
  const headers = { authorization: `Bearer ${serviceAccountJwt}` }
  const review = async (token: string, signal: AbortSignal) =>
    responseObject(
      await http.call(`${host}${REVIEWS}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          kind: 'TokenReview',
          apiVersion: 'authentication.k8s.io/v1',
          spec: { token }
        }),
        ca,
        signal
      }),
      false
    )
  const lookUp = async ({ namespace, name }: Account, signal: AbortSignal) => {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(name)}`
    return responseObject(await http.call(`${host}${path}`, { headers, ca, signal }), true)
  }
  const failure = 'lookup failed'
  return {
    isLocal: false,
    failure,
    identify: async (credential, signal) => {
      const account = accountOf(await fromProvider(failure, review(checkedToken(credential), signal)))
      const details = await fromProvider('annotation lookup failed', lookUp(account, signal))
      const name = textOf(fieldOf(details, 'metadata', 'annotations', ANNOTATION)) || account.name
      return identityOfAccount({ ...account, name })
    }
  }
}
