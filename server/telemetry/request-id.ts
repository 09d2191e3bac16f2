// The request ID that a client sends: it is returned with the response, and contained in commits and log lines.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

const HEADER = 'X-Service-Request-Id'
/** The name of the header as it is received. */
export const REQUEST_ID = 'x-service-request-id'
/** Printable without blanks: valid in log lines and headers. */
const FORM = /^[\x21-\x7e]{1,128}$/

export const requestIdIn = (headers: IncomingHttpHeaders): string | undefined => {
  const value = headers[REQUEST_ID]
  const id = Array.isArray(value) ? value.join(', ') : value
  return id !== undefined && FORM.test(id) ? id : undefined
}

/** Returns why the request ID of a request that has one is invalid, or undefined. */
export const requestIdFault = (headers: IncomingHttpHeaders): string | undefined =>
  requestIdIn(headers) !== undefined
    ? undefined
    : `Bad request: ${HEADER} must be 1 to 128 printable ASCII characters without blanks, and be given once`

export const requestIdLine = ({ headers }: IncomingMessage): string | undefined => {
  const id = requestIdIn(headers)
  return id && `${HEADER}: ${id}`
}

/** Returns the request ID with the response, if it is valid. */
export const returnRequestId = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  const id = requestIdIn(headers)
  if (id !== undefined) response.setHeader(HEADER, id)
}
