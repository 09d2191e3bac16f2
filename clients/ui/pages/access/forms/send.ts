// Writes of policies, roles, tokens and the like.
import { reasonHeaders } from '../../../session/reason.js'
import type { TenancyQuery } from '../../../session/tenancy.js'
import { client } from '../../../session/session.js'

/** A resource of the API. */
export interface Target {
  /** Such as `/v1/acl/policy`. */
  readonly path: string
  /** Undefined for one that is to be made. */
  readonly id: string | undefined
  readonly place: TenancyQuery
}

const pathOf = ({ path, id }: Target): string =>
  id === undefined ? path : `${path}/${encodeURIComponent(id)}`

/** Stores it, and tells what was stored. @throws RequestRefused */
export const store = async <T>(target: Target, body: unknown, reason: string): Promise<T> => {
  const headers = reasonHeaders(reason)
  const sending = { query: target.place, body, headers }
  const answer = await client.value.connection.request('PUT', pathOf(target), sending)
  return answer.json<T>()
}

/** @throws RequestRefused */
export const remove = async (target: Target, reason: string): Promise<void> => {
  const headers = reasonHeaders(reason)
  await client.value.connection.request('DELETE', pathOf(target), { query: target.place, headers })
}
