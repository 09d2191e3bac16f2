import type { Authorizer, Decision } from '../authorizer.js'
import type { Question } from './question.js'

/** Continues a prefix as no label does. */
export const WITNESS = '\u{10ffff}'

/** Decides a question; for names with a prefix, as one below it that no longer label matches. */
export const decideQuestion = (
  authorizer: Authorizer,
  { resource, access, segment, extent, partition, namespace }: Question
): Decision => {
  const tenancy = { partition, namespace }
  if (resource === 'namespace')
    return authorizer.decideNamespace(access === 'write' ? 'write' : 'read', tenancy)
  if (access === 'read-all') return authorizer.decideAll(resource, 'read', tenancy)
  return authorizer.decide(resource, access, extent === 'one' ? segment : `${segment}${WITNESS}`, tenancy)
}
