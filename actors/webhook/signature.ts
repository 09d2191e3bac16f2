// Signatures of webhooks by https://www.standardwebhooks.com, for which receivers have libraries.
import { hash } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

const PREFIX = 'whsec_'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const MIN_BYTES = 24
const MAX_BYTES = 64

export const SECRET_BYTES = 32

/** The rule for secrets; completes "Secret must …". */
export const SECRET_RULE = `be ${PREFIX} and ${MIN_BYTES} to ${MAX_BYTES} bytes in Base64`

export const secretOf = (bytes: Buffer): string => PREFIX + bytes.toString('base64')

export const isSecret = (text: string): boolean => {
  if (!text.startsWith(PREFIX) || !BASE64.test(text.slice(PREFIX.length))) return false
  const { length } = Buffer.from(text.slice(PREFIX.length), 'base64')
  return length >= MIN_BYTES && length <= MAX_BYTES
}

/** Returns a delivery's headers. The ID depends only on the body, so that receivers detect repetitions, also after a restart. @param at epoch ms */
export const signedHeaders = (secret: string, body: Buffer, at: number): Readonly<Record<string, string>> => {
  const id = `msg_${hash('sha256', body, 'hex').slice(0, 32)}`
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(at), body)
  }
}
