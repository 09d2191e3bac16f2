import { type Place } from '../../../session/tenancy.js'
import { textOf, type Fields, resourcePage } from '../../../resources/kind.js'
import { useResponse } from '../../../session/use-response.js'

export const sessionAddress = ({ ns, partition }: Place, id: string): string =>
  resourcePage('sessions', { key: id, ns, partition })

/** Returns undefined until the response, and without permission. */
export const useSessionInfo = (id: string, space: Place): Fields | undefined =>
  useResponse<readonly Fields[]>(`/v1/session/info/${encodeURIComponent(id)}`, { ...space }).value?.[0]

export const nameOfSession = (id: string, session: Fields | undefined): string =>
  textOf(session?.['Name']) || `session ${id.slice(0, 8)}`

export const SessionLink = ({ id, space }: { readonly id: string; readonly space: Place }) => {
  const session = useSessionInfo(id, space)
  return (
    <a href={sessionAddress(space, id)} title={id}>
      {nameOfSession(id, session)}
    </a>
  )
}
