// Signatures of webhooks as https://www.standardwebhooks.com has them, so that a receiver verifies them with a
// library of its language.
import { hash } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

const PREFIX = 'whsec_'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const LEAST_BYTES = 24
const MOST_BYTES = 64

/** Bytes of a secret that the server makes. */
export const SECRET_BYTES = 32

/** What a secret must be; completes "Secret must …". */
export const SECRET_RULE = `be ${PREFIX} and ${LEAST_BYTES} to ${MOST_BYTES} bytes in Base64`

/** The secret of these random bytes. */
export const secretOf = (bytes: Buffer): string => PREFIX + bytes.toString('base64')

/** Whether a text is a secret as Standard Webhooks has them. */
export const isSecret = (text: string): boolean => {
  if (!text.startsWith(PREFIX) || !BASE64.test(text.slice(PREFIX.length))) return false
  const { length } = Buffer.from(text.slice(PREFIX.length), 'base64')
  return length >= LEAST_BYTES && length <= MOST_BYTES
}

/**
 * The headers of a delivery. The ID follows from the body alone: whoever gets the same body twice, also after a
 * restart of this server, can tell by it.
 * @param at epoch milliseconds of this attempt
 */
export const signedHeaders = (secret: string, body: Buffer, at: number): Readonly<Record<string, string>> => {
  const id = `msg_${hash('sha256', body, 'hex').slice(0, 32)}`
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(at), body)
  }
}
