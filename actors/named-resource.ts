// The decisions on ACL resources with a unique name: policies and roles (spec: acl.md §4.3, §5).
import type { Event, Tenancy } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import type { Command } from './aggregate.js'
import { invalid } from './refusal.js'
import { isWithinTenancy } from './tenancy.js'
import { isUuid } from './uuid.js'

const NAME = /^[A-Za-z0-9_-]+$/

/** @throws Refusal `invalid` */
export const checkAclName = (
  code: 'acl.policy' | 'acl.role' | 'acl.auth-method',
  title: string,
  name: string,
  maxLength: number
): void => {
  if (name === '') throw invalid(`${code}.invalid`, `Invalid ${title}: no Name is set`)
  if (!NAME.test(name) || name.length > maxLength)
    throw invalid(
      `${code}.invalid`,
      `Invalid ${title}: invalid Name. Only alphanumeric characters, '-' and '_' are allowed, at most ${maxLength} of them`
    )
}

interface Stored {
  readonly ID: string
  readonly Name: string
  readonly CreateIndex: number
}

interface NamedKind<Input, Row, Resource extends Stored, Content, E extends Event> {
  readonly title: 'Policy' | 'Role'
  /** The beginning of the codes of refusals. */
  readonly code: 'acl.policy' | 'acl.role'
  readonly maxNameLength: number
  readonly rowsOf: (views: Views) => {
    get(id: string): Row | undefined
    named(tenancy: Tenancy, name: string): Row | undefined
  }
  readonly resourceOf: (row: Row) => Resource
  /** @param before the resource that an update replaces. @throws Refusal `invalid` */
  contentOf(input: Input, tenancy: Tenancy, views: Views, before?: Resource): Content
  upserted(tenancy: Tenancy, resource: Content & Omit<Stored, 'Name'> & { readonly ModifyIndex: number }): E
  deleted(tenancy: Tenancy, resource: Resource): E
  /** @throws Refusal `invalid` for a built-in resource */
  checkDeletable?(id: string): void
}

type Data<T> = Pick<Command<string, T>, 'tenancy' | 'data'>

export const namedDecisions = <
  Input extends { readonly Name: string },
  Row extends { readonly tenancy: Tenancy },
  Resource extends Stored,
  Content,
  E extends Event
>(
  kind: NamedKind<Input, Row, Resource, Content, E>
) => {
  const { title, maxNameLength, rowsOf, resourceOf } = kind
  const noun = title.toLowerCase()
  const checkId = (id: string): void => {
    if (!isUuid(id)) throw invalid(`${kind.code}.invalid`, `${title} ID invalid UUID`)
  }
  const create = (
    { data, tenancy }: Data<Input & { readonly newId: string }>,
    views: Views,
    index: number
  ) => {
    checkAclName(kind.code, title, data.Name, maxNameLength)
    if (rowsOf(views).named(tenancy, data.Name))
      throw invalid(
        `${kind.code}.name-taken`,
        `Invalid ${title}: A ${title} with Name "${data.Name}" already exists`
      )
    const content = kind.contentOf(data, tenancy, views)
    return [kind.upserted(tenancy, { ID: data.newId, ...content, CreateIndex: index, ModifyIndex: index })]
  }
  const update = ({ data, tenancy }: Data<Input & { readonly id: string }>, views: Views, index: number) => {
    checkId(data.id)
    checkAclName(kind.code, title, data.Name, maxNameLength)
    const row = isWithinTenancy(rowsOf(views).get(data.id), tenancy)
    if (!row) throw invalid(`${kind.code}.not-found`, `cannot find ${noun} ${data.id}`)
    const before = resourceOf(row)
    // As measured, a rename to any existing name is refused, even to its own in other letter case.
    if (before.Name !== data.Name && rowsOf(views).named(tenancy, data.Name))
      throw invalid(
        `${kind.code}.name-taken`,
        `Invalid ${title}: A ${noun} with name "${data.Name}" already exists`
      )
    const { ID, CreateIndex } = before
    const content = kind.contentOf(data, tenancy, views, before)
    return [kind.upserted(tenancy, { ID, ...content, CreateIndex, ModifyIndex: index })]
  }
  const remove = ({ data, tenancy }: Data<{ readonly id: string }>, views: Views) => {
    checkId(data.id)
    kind.checkDeletable?.(data.id)
    const row = isWithinTenancy(rowsOf(views).get(data.id), tenancy)
    return row ? [kind.deleted(tenancy, resourceOf(row))] : []
  }
  return { create, update, remove }
}
