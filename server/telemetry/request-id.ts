// The request ID that a client sends: it is returned with the response, and contained in commits and log lines.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

const HEADER = 'X-Service-Request-Id'
/** The header name in Node.js. */
const RECEIVED = 'x-service-request-id'
/** Printable without blanks: valid in log lines and headers. */
const FORM = /^[\x21-\x7e]{1,128}$/

const given = (headers: IncomingHttpHeaders): string | undefined => {
  const value = headers[RECEIVED]
  return Array.isArray(value) ? value.join(', ') : value
}

export const requestIdIn = (headers: IncomingHttpHeaders): string | undefined => {
  const id = given(headers)
  return id !== undefined && FORM.test(id) ? id : undefined
}

/** Returns why the request ID is invalid, or undefined. */
export const requestIdFault = (headers: IncomingHttpHeaders): string | undefined =>
  headers[RECEIVED] === undefined || requestIdIn(headers) !== undefined
    ? undefined
    : `Bad request: ${HEADER} must be 1 to 128 printable ASCII characters without blanks, and be given once`

export const requestIdLine = ({ headers }: IncomingMessage): string | undefined => {
  const id = requestIdIn(headers)
  return id && `${HEADER}: ${id}`
}

export const returnRequestId = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  if (headers[RECEIVED] === undefined) return
  const id = requestIdIn(headers)
  if (id !== undefined) response.setHeader(HEADER, id)
}
