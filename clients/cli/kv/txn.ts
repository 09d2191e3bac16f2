import type { Schemas } from '../../typescript/typed/index.js'
import { messageOf } from '../../../events/errors.js'
import { stringify } from 'lossless-json'
import { UsageError, Failed } from '../console.js'
import { RequestRefused } from '../../typescript/failures.js'
import { remoteCommand } from '../remote/command.js'
import { CONTENT, textContent } from '../remote/content.js'
import { optional } from '../remote/flags.js'
import { safe } from '../remote/output.js'
import { parseExact } from '../../exact-json.js'

type Outcome = Partial<Schemas['TransactionAnswer'] | Schemas['TransactionRefused']>

const outcomeIn = (text: string): Outcome => {
  const outcome: Outcome = JSON.parse(text)
  return outcome
}

const field = (resource: unknown, name: string): unknown => Reflect.get(Object(resource), name)

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? safe(value) : ''

/** Returns `key:value` for a key that was read, otherwise the name and index of the resource. */
const resultLine = (result: Readonly<Record<string, unknown>>): string => {
  const [[kind, resource] = ['', undefined]] = Object.entries(result)
  const value = field(resource, 'Value')
  if (kind === 'KV' && typeof value === 'string')
    return `${textOf(field(resource, 'Key'))}:${Buffer.from(value, 'base64').toString()}`
  const name = ['Key', 'Service', 'ID', 'CheckID', 'Name', 'Node'].map(text => textOf(field(resource, text)))
  return `${kind} ${name.find(text => text !== '') ?? ''} at index ${textOf(field(resource, 'ModifyIndex'))}`
}

const asText = ({ Results }: Outcome): string => (Results ?? []).map(resultLine).join('\n')

const faultText = ({ Errors }: Outcome): string =>
  (Errors ?? []).map(({ OpIndex, What }) => `operation ${OpIndex}: ${safe(What)}`).join('; ')

const rollbackOf = (error: unknown): string | undefined =>
  error instanceof RequestRefused && error.status === 409 ? error.text : undefined

const operationsIn = (text: string): unknown => {
  try {
    return parseExact(text)
  } catch (error) {
    throw new UsageError(`the operations are not JSON: ${messageOf(error)}`)
  }
}

export const txn = remoteCommand({
  summary: 'Execute several operations atomically.',
  about:
    'The operations are the JSON array of PUT /v1/txn, with values of keys in Base64. If one fails, nothing changes and the exit code\nis 1.',
  examples: [
    'annals txn @operations.json',
    `echo '[{"KV":{"Verb":"set","Key":"a","Value":"MQ=="}},{"KV":{"Verb":"check-not-exists","Key":"b"}}]' | annals txn`
  ],
  args: { operations: optional(`the operations; ${CONTENT} (default: standard input)`) },
  run: async ({ send, out, args, console, consistency }) => {
    const operations = operationsIn(await textContent(args.operations ?? '-', console))
    const sending = {
      query: consistency,
      body: stringify(operations),
      headers: { 'Content-Type': 'application/json' }
    }
    try {
      const text = await (await send('PUT', '/v1/txn', sending)).text()
      if (out.isData) return out.data(parseExact(text))
      out.print(asText(outcomeIn(text)))
      out.note('Success! All operations are done')
    } catch (error) {
      const rollback = rollbackOf(error)
      if (rollback === undefined) throw error
      if (out.isData) out.data(outcomeIn(rollback))
      throw new Failed(`nothing was done: ${faultText(outcomeIn(rollback))}`)
    }
  }
})
