// Who looks: the secret of a token, in memory alone or for as long as the tab is open.
import { computed, signal } from '@preact/signals'
import { AnnalsClient } from '../../typescript/annals-client.js'
import { parseExact } from './exact-json.js'
import { fetchReadOnly } from '../time-travel/read-only.js'

const KEPT_AS = 'annals-token'

/** Undefined for the anonymous token. */
const secret = signal<string | undefined>(sessionStorage.getItem(KEPT_AS) ?? undefined)

/** Asks in the name of who looks. */
export const client = computed(
  () =>
    new AnnalsClient<{}>({
      address: location.origin,
      parse: parseExact,
      fetch: fetchReadOnly,
      ...(secret.value === undefined ? {} : { token: secret.value })
    })
)

export const isSignedIn = computed(() => secret.value !== undefined)

/** Looks with another token from now on. @param isKept also when the page is loaded again, in this tab @throws RequestRefused */
export const signIn = async (token: string, isKept: boolean): Promise<void> => {
  await client.value.connection.with({ token }).request('GET', '/v1/acl/token/self')
  if (isKept) sessionStorage.setItem(KEPT_AS, token)
  else sessionStorage.removeItem(KEPT_AS)
  secret.value = token
}

/** Forgets the token. */
export const signOut = (): void => {
  sessionStorage.removeItem(KEPT_AS)
  secret.value = undefined
}
