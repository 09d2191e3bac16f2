import { useResponse } from '../../../session/use-response.js'
import { textOf, type Fields } from '../../../resources/kind.js'
import type { KeySpace } from '../entry.js'

export const sessionAddress = ({ ns, partition }: KeySpace, id: string): string =>
  `/ui/sessions/one?${new URLSearchParams({ key: id, ns, partition })}`

/** Returns undefined until the response, and without permission. */
export const useSessionInfo = (id: string, space: KeySpace): Fields | undefined =>
  useResponse<readonly Fields[]>(`/v1/session/info/${encodeURIComponent(id)}`, { ...space }).value?.[0]

export const nameOfSession = (id: string, session: Fields | undefined): string =>
  textOf(session?.['Name']) || `session ${id.slice(0, 8)}`

export const SessionLink = ({ id, space }: { readonly id: string; readonly space: KeySpace }) => {
  const session = useSessionInfo(id, space)
  return (
    <a href={sessionAddress(space, id)} title={id}>
      {nameOfSession(id, session)}
    </a>
  )
}
