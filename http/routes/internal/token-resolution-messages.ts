// How a datacenter asks the primary about a token, and is answered: sealed where the two share a key.
import { decryptText, encryptText } from '../../wire/text-encryption.js'

export const TOKEN_PATH = '/v1/internal/acl/token'

const ASKED = 'annals: whose is this token?'
/** Binds an answer to its question, which no other one is like. */
const answerTo = (question: string): string => `annals: the token that was asked about\n${question}`

/** What is asked, on its way. */
export const encryptTokenQuery = (key: Uint8Array, secret: string): string => encryptText(key, secret, ASKED)

/** The secret that is asked about; undefined when nobody has asked who has the key. */
export const decryptTokenQuery = (key: Uint8Array, question: string): string | undefined =>
  decryptText(key, question, ASKED)

export const encryptTokenResolution = (key: Uint8Array, answer: string, question: string): string =>
  encryptText(key, answer, answerTo(question))

export const decryptTokenResolution = (
  key: Uint8Array,
  answer: string,
  question: string
): string | undefined => decryptText(key, answer, answerTo(question))
