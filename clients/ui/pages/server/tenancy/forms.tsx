import type { Schemas } from '../../../../typescript/typed/index.js'
import type { ResourceDefinition } from '../../../../../events/definition/types.js'
import { namespaceDefinition, partitionDefinition } from '../../../../../events/namespace.js'
import type { ComponentChildren } from 'preact'
import { Field, fieldOf, FurtherFields, furtherTexts } from '../../../design/index.js'
import { useDraft, type Draft } from '../../../session/use-response.js'
import { type Link, Form, type ResourceFormProps } from '../../access/forms/form.js'
import { LinksField } from '../../access/forms/links-field.js'

export type Namespace = Schemas['Namespace']

export type Partition = Schemas['Partition']

/** Formats metadata with one pair per line: `name = value`. */
const metaText = (meta: Readonly<Record<string, string>> = {}): string =>
  Object.entries(meta)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')

/** @throws Error naming an invalid line */
const metaIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter(line => line.trim() !== '')
      .map(line => {
        const at = line.indexOf('=')
        if (at < 1) throw new Error(`"${line.trim()}" is not a pair such as owner = team`)
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      })
  )

const KNOWN = ['Description']

interface TenancyDraft {
  readonly Name: string
  readonly Description: string
  readonly further: Readonly<Record<string, string>>
}

interface Props<T, D extends TenancyDraft> extends Omit<ResourceFormProps<T>, 'stored'> {
  readonly label: string
  readonly definition: ResourceDefinition
  readonly draft: Draft<D>
  readonly body: () => unknown
  readonly children?: ComponentChildren
}

const TenancyForm = <T, D extends TenancyDraft>({ definition, children, ...props }: Props<T, D>) => {
  const { target, draft } = props
  return (
    <Form
      {...props}
      resource="operator"
      without="it may write only where its rules name the place itself."
      unique={{ list: `${target.path}s`, name: draft.value.Name.trim().toLowerCase() }}
    >
      {target.id === undefined && (
        <Field
          label="Name"
          required
          hint="Up to 63 lower-case letters, digits and hyphens. It cannot be changed later."
          {...fieldOf(draft, 'Name')}
        />
      )}
      <Field label="Description" {...fieldOf(draft, 'Description')} />
      <FurtherFields definition={definition} {...fieldOf(draft, 'further')} />
      {children}
    </Form>
  )
}

export const NamespaceForm = ({ target, stored, done }: ResourceFormProps<Namespace>) => {
  const { Name = '', Description = '', ACLs, Meta, ModifyIndex = 0 } = stored ?? {}
  const policyDefaults: readonly Link[] = ACLs?.PolicyDefaults ?? []
  const roleDefaults: readonly Link[] = ACLs?.RoleDefaults ?? []
  const draft = useDraft(
    {
      Name,
      Description,
      meta: metaText(Meta),
      policies: policyDefaults,
      roles: roleDefaults,
      further: furtherTexts(namespaceDefinition, KNOWN, stored)
    },
    ModifyIndex
  )
  const body = () => {
    const { policies, roles, meta, further, ...fields } = draft.value
    return {
      ...fields,
      ...further,
      ACLs: { PolicyDefaults: policies, RoleDefaults: roles },
      Meta: metaIn(meta)
    }
  }
  return (
    <TenancyForm
      definition={namespaceDefinition}
      label="Namespace"
      target={target}
      draft={draft}
      body={body}
      done={done}
    >
      <div class="columns" role="group" aria-label="Defaults of its tokens">
        <LinksField kind="policies" place={target.place} {...fieldOf(draft, 'policies')} />
        <LinksField kind="roles" place={target.place} {...fieldOf(draft, 'roles')} />
      </div>
      <Field
        label="Metadata, one pair per line"
        rows={3}
        placeholder="owner = team"
        {...fieldOf(draft, 'meta')}
        name="Meta|pair"
      />
    </TenancyForm>
  )
}

export const PartitionForm = ({ target, stored, done }: ResourceFormProps<Partition>) => {
  const { Name = '', Description = '', DisableGossip, ModifyIndex = 0 } = stored ?? {}
  const draft = useDraft(
    { Name, Description, further: furtherTexts(partitionDefinition, KNOWN, stored) },
    ModifyIndex
  )
  const body = () => {
    const { further, ...fields } = draft.value
    return { ...fields, ...further, DisableGossip }
  }
  return (
    <TenancyForm
      definition={partitionDefinition}
      label="Partition"
      target={target}
      draft={draft}
      body={body}
      done={done}
    />
  )
}
