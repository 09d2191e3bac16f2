// The `fetch` of openid-client: bounded like all calls to providers, with the last response available to the
// caller.
import type { CustomFetch } from 'openid-client'
import type { ProviderResponse, ProviderHttp } from './provider-http.js'

export interface ObservedFetch {
  readonly fetch: CustomFetch
  /** Response of the last call; undefined before it and after a failure. */
  readonly answer: () => ProviderResponse | undefined
  /** Error of the last call. */
  readonly failure: () => unknown
}

const textHeaders = (headers: ProviderResponse['headers']): Headers => {
  const texts = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const text of typeof value === 'string' ? [value] : (value ?? [])) texts.append(name, text)
  // The body is complete and decoded.
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) texts.delete(name)
  return texts
}

/** Sends `redirectUri` exactly as the authorization request had it; openid-client would normalize it. */
export const observedFetch = (
  http: ProviderHttp,
  ca: string,
  signal: AbortSignal,
  redirectUri?: string
): ObservedFetch => {
  let answer: ProviderResponse | undefined
  let failure: unknown
  return {
    answer: () => answer,
    failure: () => failure,
    fetch: async (url, { method, headers, body }) => {
      answer = undefined
      if (body instanceof URLSearchParams && redirectUri !== undefined && body.has('redirect_uri'))
        body.set('redirect_uri', redirectUri)
      try {
        answer = await http.call(url, {
          method: method === 'POST' ? 'POST' : 'GET',
          headers: Object.fromEntries(new Headers(headers)),
          ...(body instanceof URLSearchParams || typeof body === 'string' ? { body: String(body) } : {}),
          ca,
          signal
        })
      } catch (error) {
        failure = error
        throw error
      }
      const { status, text } = answer
      const hasBody = status >= 200 && status !== 204 && status !== 205 && status !== 304
      return new Response(hasBody ? text : null, {
        status: Math.min(Math.max(status, 200), 599),
        headers: textHeaders(answer.headers)
      })
    }
  }
}
