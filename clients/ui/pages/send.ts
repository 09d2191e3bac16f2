import type { Answer } from '../../typescript/answer.js'
import { type Sending, reasonValue } from '../../typescript/connection.js'
import { client } from '../session/session.js'
import { useAction, type Run } from '../session/use-response.js'
import type { TenancyQuery } from '../session/tenancy.js'

export const reasonHeaders = (text: string): Readonly<Record<string, string>> => {
  const reason = text.trim()
  return reason === '' ? {} : { 'X-Service-Reason': reasonValue(reason) }
}

export interface Write extends Pick<Sending, 'query' | 'body' | 'signal'> {
  readonly reason?: string
}

/** @throws RequestRefused */
export const send = (
  method: 'PUT' | 'POST' | 'DELETE',
  path: string,
  { reason = '', ...options }: Write = {}
): Promise<Answer> =>
  client.value.connection.request(method, path, { ...options, headers: reasonHeaders(reason) })

/** As `send`. Returns the JSON of the response. */
export const sendJson = async <T>(...request: Parameters<typeof send>): Promise<T> =>
  (await send(...request)).json<T>()

/** The response to a POST that changes nothing, once `ask` is called. Another value of the inputs ends its validity. */
export const useQuestion = <T>(
  path: string,
  inputs: readonly unknown[],
  write: () => Write
): Run<T> & { readonly ask: () => void } => {
  const { run, ...state } = useAction<T>(inputs)
  return { ...state, ask: () => run(async signal => sendJson<T>('POST', path, { ...write(), signal })) }
}

/** Sends a check-and-set write. @param failure the message if the condition fails @throws RequestRefused, Error */
export const sendIfUnchanged = async (
  method: 'PUT' | 'DELETE',
  path: string,
  write: Write,
  failure = `Not ${method === 'PUT' ? 'saved' : 'deleted'}: someone else changed it first.`
): Promise<void> => {
  if (!(await sendJson<boolean>(method, path, write))) throw new Error(failure)
}

export interface Target {
  /** Such as `/v1/acl/policy`. */
  readonly path: string
  /** Undefined for a new resource. */
  readonly id: string | undefined
  readonly place: TenancyQuery
}

export const pathOf = ({ path, id }: Target): string =>
  id === undefined ? path : `${path}/${encodeURIComponent(id)}`
