// Binding rules (spec: auth.md §5).
import {
  BIND_TYPES,
  type BindingRuleEvent,
  bindingRuleEvents,
  type BindingRuleInput,
  bindingRuleDefinition,
  type BindType,
  isBindName
} from '../events/binding-rule.js'
import type { Tenancy } from '../events/envelope.js'
import { rethrowAs } from '../events/errors.js'
import type { AuthMethodRow } from '../projections/acl/auth-methods.js'
import { compileSelector } from '../projections/acl/binding-rules.js'
import { FilterError } from '../projections/language/filter.js'
import { parseTemplate, TemplateError } from '../projections/language/template.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { configOf, placeholdersOf } from './auth-method/stored-config.js'
import { contentsOf } from './content.js'
import { twoStateLifecycle } from './lifecycle.js'
import { invalidWith, invalid, Refusal } from './refusal.js'
import { isWithinTenancy } from './tenancy.js'
import { isUuid } from './uuid.js'

const invalidRule = invalidWith('acl.binding-rule.invalid', 'Invalid Binding Rule: ')

type CreateBindingRule = Command<'CreateBindingRule', BindingRuleInput & { readonly newId: string }>
type UpdateBindingRule = Command<'UpdateBindingRule', BindingRuleInput & { readonly id: string }>
type DeleteBindingRule = Command<'DeleteBindingRule', { readonly id: string }>
type BindingRuleCommand = CreateBindingRule | UpdateBindingRule | DeleteBindingRule

// Decisions (spec: auth.md §5.2, in its order of checks)

const checkId = (id: string): void => {
  if (!isUuid(id))
    throw invalid('acl.binding-rule.invalid', `Binding Rule ID invalid UUID: "${id}" must have 36 characters`)
}

const checkSelector = (selector: string, { method }: AuthMethodRow): void => {
  const fault = (message: string) =>
    invalid('acl.binding-rule.invalid', `invalid Binding Rule: Selector is invalid: ${message}`)
  rethrowAs(() => compileSelector(selector, method.Type), FilterError, fault)
}

const bindTypeOf = (value: string): BindType => {
  const type = BIND_TYPES.find(known => known === value)
  if (!type) throw invalidRule(`unknown BindType "${value}"; it must be one of ${BIND_TYPES.join(', ')}`)
  return type
}

/** Computes the name once with placeholders (spec: auth.md §5.3, §7). */
const checkBindName = (type: BindType, name: string, { method }: AuthMethodRow): void => {
  const placeholders = placeholdersOf(configOf(method))
  const fault = (message: string) => invalidRule(`invalid BindName: ${message}`)
  const computed = rethrowAs(() => parseTemplate(name).render(placeholders), TemplateError, fault)
  if (!isBindName(type, computed))
    throw invalidRule(
      `invalid BindName: "${computed}" is no name of a ${type}: at most 256 ${
        type === 'role'
          ? "letters, digits, '-' and '_'"
          : "lower-case letters, digits, '-' and '_', beginning and ending with a letter or digit"
      }`
    )
}

const contentOf = contentsOf(bindingRuleDefinition)

const checkedContent = (input: BindingRuleInput, tenancy: Tenancy, views: Views) => {
  if (input.AuthMethod === '') throw invalidRule('no AuthMethod is set')
  const method = views.authMethods.named(tenancy, input.AuthMethod)
  if (!method)
    throw invalid('acl.auth-method.unknown', `cannot find auth method with name "${input.AuthMethod}"`)
  checkSelector(input.Selector, method)
  if (input.BindType === '') throw invalidRule('no BindType is set')
  if (input.BindName === '') throw invalidRule('no BindName is set')
  const BindType = bindTypeOf(input.BindType)
  if (BindType === 'node' && tenancy.namespace !== 'default')
    throw invalidRule('BindType "node" is allowed only in namespace "default"')
  checkBindName(BindType, input.BindName, method)
  return contentOf(input, { BindType })
}

const create = ({ data, tenancy }: CreateBindingRule, views: Views, index: number): BindingRuleEvent[] => {
  const content = checkedContent(data, tenancy, views)
  return [
    bindingRuleEvents.create('ACLBindingRuleUpserted', tenancy, {
      ID: data.newId,
      ...content,
      CreateIndex: index,
      ModifyIndex: index
    })
  ]
}

const update = ({ data, tenancy }: UpdateBindingRule, views: Views, index: number): BindingRuleEvent[] => {
  checkId(data.id)
  const row = isWithinTenancy(views.bindingRules.get(data.id), tenancy)
  if (!row) throw new Refusal('acl.binding-rule.unknown', `cannot find binding rule ${data.id}`)
  const { ID, AuthMethod, CreateIndex } = row.rule
  if (data.AuthMethod !== '' && data.AuthMethod !== AuthMethod)
    throw invalid('acl.binding-rule.invalid', 'the AuthMethod field of an Binding Rule is immutable')
  const content = checkedContent({ ...data, AuthMethod }, tenancy, views)
  return [
    bindingRuleEvents.create('ACLBindingRuleUpserted', tenancy, {
      ID,
      ...content,
      CreateIndex,
      ModifyIndex: index
    })
  ]
}

const remove = ({ data, tenancy }: DeleteBindingRule, views: Views): BindingRuleEvent[] => {
  checkId(data.id)
  const row = isWithinTenancy(views.bindingRules.get(data.id), tenancy)
  return row ? [bindingRuleEvents.create('ACLBindingRuleDeleted', tenancy, row.rule)] : []
}

export const bindingRuleAggregate: Aggregate<BindingRuleCommand> = {
  lifecycle: twoStateLifecycle(bindingRuleEvents, ({ bindingRules }, { key }) => bindingRules.get(key)),
  removals: ['DeleteBindingRule'],
  decide: decideBy({
    CreateBindingRule: create,
    UpdateBindingRule: update,
    DeleteBindingRule: remove
  })
}
