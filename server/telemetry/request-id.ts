// The name that a caller gives its request: it stands in the answer, in the commits that come of it and in what is logged.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

const HEADER = 'X-Service-Request-Id'
/** As Node names it among the headers of a request. */
const RECEIVED = 'x-service-request-id'
/** What can be printed, without blanks: fit for a line of log and for a header. */
const FORM = /^[\x21-\x7e]{1,128}$/

const given = (headers: IncomingHttpHeaders): string | undefined => {
  const value = headers[RECEIVED]
  return Array.isArray(value) ? value.join(', ') : value
}

/** The name that a request bears; undefined when it has none that can be one. */
export const requestIdIn = (headers: IncomingHttpHeaders): string | undefined => {
  const id = given(headers)
  return id !== undefined && FORM.test(id) ? id : undefined
}

/** What is wrong with the name of a request; undefined when nothing is. */
export const requestIdFault = (headers: IncomingHttpHeaders): string | undefined =>
  given(headers) === undefined || requestIdIn(headers) !== undefined
    ? undefined
    : `Bad request: ${HEADER} must be 1 to 128 printable ASCII characters without blanks, and be given once`

/** For the head of an answer; undefined when the request bears no name. */
export const requestIdLine = ({ headers }: IncomingMessage): string | undefined => {
  const id = requestIdIn(headers)
  return id && `${HEADER}: ${id}`
}

/** Gives the name back with the answer, whatever that is. */
export const returnRequestId = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  const id = requestIdIn(headers)
  if (id !== undefined) response.setHeader(HEADER, id)
}
