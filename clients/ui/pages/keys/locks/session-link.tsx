import { resourcePage, textOf, type Fields } from '../../../resources/kind.js'
import type { Place } from '../../../session/tenancy.js'
import { useResponse } from '../../../session/use-response.js'

interface Props {
  readonly id: string
  readonly space: Place
  /** Adds the node and the TTL. */
  readonly isDetailed?: boolean
}

export const SessionLink = ({ id, space, isDetailed = false }: Props) => {
  // Absent until the response, and without permission.
  const path = `/v1/session/info/${encodeURIComponent(id)}`
  const [session] = useResponse<readonly Fields[]>(path, { ...space }).value ?? []
  const [name, node, ttl] = ['Name', 'Node', 'TTL'].map(field => textOf(session?.[field]))
  const { ns, partition } = space
  return (
    <>
      <a href={resourcePage('sessions', { key: id, ns, partition })} title={id}>
        {name || `session ${id.slice(0, 8)}`}
      </a>
      {isDetailed && session && (
        <span class="index">
          {' '}
          on {node}, {ttl ? `expires after ${ttl}` : 'does not expire'}
        </span>
      )}
    </>
  )
}
