import { stdSerializers, type SerializedError } from 'pino'
import { redact } from './redact.js'

interface LoggedRequest {
  readonly id?: unknown
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly ip?: string
}

/** Decodes parameter names, so that `%74oken` is redacted, too. */
const withPlainNames = (url: string): string =>
  url.replaceAll(/(?<=[?&])[^=&]*%[^=&]*(?==)/g, name => {
    try {
      return encodeURI(decodeURIComponent(name))
    } catch {
      return name
    }
  })

/** Omits headers and body, and the token in the URL. */
const req = (request: LoggedRequest) => ({
  id: request.id,
  method: request.method,
  url: redact(withPlainNames(request.url ?? '')),
  ip: request.ip
})

const res = (reply: { readonly statusCode?: number }) => ({ statusCode: reply.statusCode })

/** Type, message, stack and causes, without other fields of a library. */
const err = (error: Error) => {
  const { type, message, stack } = stdSerializers.errWithCause(error) satisfies SerializedError
  return { type, message, stack, ...('code' in error ? { code: error.code } : {}) }
}

export const serializers = { req, res, err }
