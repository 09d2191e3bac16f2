// The secret of the signed-in token, in memory or in the session storage of the tab.
import { computed, effect, signal } from '@preact/signals'
import { AnnalsClient } from '../../typescript/annals-client.js'
import type { Sending } from '../../typescript/connection.js'
import { RequestRefused } from '../../typescript/failures.js'
import { parseExact } from './exact-json.js'
import { fetchReadOnly } from '../time-travel/read-only.js'

const KEPT_AS = 'annals-token'

/** Undefined for the anonymous token. */
const secret = signal<string | undefined>(sessionStorage.getItem(KEPT_AS) ?? undefined)

/** A client with the signed-in token. */
export const client = computed(
  () =>
    new AnnalsClient<{}>({
      address: location.origin,
      parse: parseExact,
      fetch: fetchReadOnly,
      token: secret.value
    })
)

/** @throws RequestRefused, Unreachable */
export const readJson = async <T>(
  path: string,
  options: Pick<Sending, 'query' | 'signal'> = {}
): Promise<T> => (await client.value.connection.request('GET', path, options)).json<T>()

export const isSignedIn = computed(() => secret.value !== undefined)

/** Validates and adopts a token. @param isKept stores it until the tab is closed @throws Error for an unknown token; RequestRefused */
export const signIn = async (token: string, isKept: boolean): Promise<void> => {
  try {
    await client.value.connection.with({ token }).request('GET', '/v1/acl/token/self')
  } catch (error) {
    const isUnknown = error instanceof RequestRefused && error.code === 'acl.token.unknown'
    throw isUnknown ? new Error('The server does not know this token. It may have expired.') : error
  }
  if (isKept) sessionStorage.setItem(KEPT_AS, token)
  else sessionStorage.removeItem(KEPT_AS)
  secret.value = token
}

export const signOut = (): void => {
  sessionStorage.removeItem(KEPT_AS)
  secret.value = undefined
}

// Resources that were opened last, until another token signs in or the tab is closed.

interface Opened {
  readonly value: string
  readonly label: string
  readonly hint: string
}

const MAX_RECENT = 8

export const recent = signal<readonly Opened[]>([])

effect(() => {
  void client.value
  recent.value = []
})

/** Puts a resource first. @param opened its address, name and kind */
export const remember = (opened: Opened): void => {
  const others = recent.peek().filter(({ value }) => value !== opened.value)
  recent.value = [opened, ...others].slice(0, MAX_RECENT)
}
