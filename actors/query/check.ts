// The rules for the content of a prepared query that hold whatever else exists (spec: queries.md §3, rows 7 to 12, 17, 18).
import { invalidDuration, parseDuration } from '../../events/duration.js'
import { HIDDEN_TOKEN, NAME_PREFIX_MATCH } from '../../events/prepared-query.js'
import { compileTemplate, TemplateError } from '../../projections/queries/template.js'
import { invalid } from '../refusal.js'
import type { QueryDraft } from './commands.js'

const MOST_PAIRS = 64
const LONGEST_KEY = 128
const LONGEST_VALUE = 512
const META_KEY = /^[A-Za-z0-9_-]+$/

const wrong = (rule: string): Error => invalid(`Invalid prepared query: ${rule}`)

const checkNodeMeta = (meta: Readonly<Record<string, string>>): void => {
  const pairs = Object.entries(meta)
  if (pairs.length > MOST_PAIRS)
    throw wrong(`Node metadata cannot contain more than ${MOST_PAIRS} key/value pairs`)
  for (const [key, value] of pairs) {
    const fault = pairFault(key, value)
    if (fault !== undefined) throw wrong(`Couldn't load metadata pair ('${key}', '${value}'): ${fault}`)
  }
}

const pairFault = (key: string, value: string): string | undefined => {
  if (key === '') return 'Key cannot be blank'
  if (!META_KEY.test(key)) return 'Key contains invalid characters'
  if (key.length > LONGEST_KEY) return `Key is too long (limit: ${LONGEST_KEY} characters)`
  if (value.length > LONGEST_VALUE) return `Value is too long (limit: ${LONGEST_VALUE} characters)`
  return undefined
}

const checkTtl = (ttl: string): void => {
  if (ttl === '') return
  const duration = parseDuration(ttl)
  if (duration === undefined) throw wrong(`Bad DNS TTL '${ttl}': ${invalidDuration(ttl)}`)
  if (duration < 0) throw wrong(`DNS TTL '${ttl}', must be >=0`)
}

/** @throws Refusal `invalid` */
export const checkContent = ({ Name, Session, Token, Template, Service, DNS }: QueryDraft): void => {
  if (Name === '' && Template.Type === '' && Session === '') throw wrong('Must be bound to a session')
  if (Token === HIDDEN_TOKEN)
    throw wrong(
      `Bad Token '${HIDDEN_TOKEN}', it looks like a query definition with a redacted token was submitted`
    )
  if (Service.Service === '') throw wrong('Must provide a Service name to query')
  const { NearestN } = Service.Failover
  if (NearestN < 0) throw wrong(`Bad NearestN '${NearestN}', must be >= 0`)
  checkNodeMeta(Service.NodeMeta ?? {})
  checkTtl(DNS.TTL)
}

/** A template must compile, and have a value for its own name. @throws Refusal `invalid` */
export const checkTemplate = (query: QueryDraft): void => {
  const { Type } = query.Template
  if (Type === '') return
  if (Type !== NAME_PREFIX_MATCH)
    throw invalid(`Bad Template.Type '${Type}': the only type is ${NAME_PREFIX_MATCH}`)
  try {
    compileTemplate(query)(query.Name)
  } catch (error) {
    if (error instanceof TemplateError) throw invalid(`failed compiling template: ${error.message}`)
    throw error
  }
}
