// How requests, replies and errors are written to the log.
import { stdSerializers } from 'pino'
import type { SerializedError } from 'pino'
import { redact } from './redact.js'

/** What is read of a request. */
interface LoggedRequest {
  readonly id?: unknown
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly ip?: string
}

/** The names of the parameters of a URL as they are meant: one written as `%74oken` is one that bears a secret too. */
const withPlainNames = (url: string): string =>
  url.replaceAll(/(?<=[?&])[^=&]*%[^=&]*(?==)/g, name => {
    try {
      return encodeURI(decodeURIComponent(name))
    } catch {
      return name
    }
  })

/** A request without its headers and body, its URL without the token. */
const req = (request: LoggedRequest) => ({
  id: request.id,
  method: request.method,
  url: redact(withPlainNames(request.url ?? '')),
  ip: request.ip
})

const res = (reply: { readonly statusCode?: number }) => ({ statusCode: reply.statusCode })

/** An error: type, message, stack, causes. Fields that a library hung on it (requests, options) are left out. */
const err = (error: Error) => {
  const { type, message, stack } = stdSerializers.errWithCause(error) satisfies SerializedError
  return { type, message, stack, ...('code' in error ? { code: error.code } : {}) }
}

export const serializers = { req, res, err }
