// The pages of namespaces and partitions.
import type { ResourceDefinition } from '../../../../../events/definition/types.js'
import { namespaceDefinition, partitionDefinition } from '../../../../../events/namespace.js'
import { Badge, ConfirmButton, Notice, Section } from '../../../design/index.js'
import { kinds, namespaces, partitions } from '../../../resources/kinds.js'
import { FieldsForm, type Row } from '../../access/forms/fields-form.js'
import type { ResourceFormProps } from '../../access/forms/form.js'
import { tokenDefaults } from '../../access/forms/inputs.js'
import { textOf } from '../../../resources/kind.js'
import { formView } from '../../resource/form-view.js'
import type { PanelProps, ResourceView } from '../../resource/resource-view.js'
import { pathOf, send } from '../../send.js'
import { Time } from '../formatters.js'

/** The namespace and partition that cannot be deleted. */
const BUILT_IN = 'default'

interface LinksProps {
  /** `*` for all namespaces of the partition. */
  readonly ns: string
  readonly partition: string
}

const TenancyLinks = ({ ns, partition }: LinksProps) => (
  <Section title="Contents">
    <p class="in-it">
      {kinds
        .filter(kind => kind !== partitions && (kind !== namespaces || ns === '*'))
        .map(({ path, title }) => (
          <a key={path} href={`/ui/${path}?${new URLSearchParams({ ns, partition })}`}>
            {title}
          </a>
        ))}
    </p>
  </Section>
)

interface Tenancy {
  readonly Name: string
  readonly DeletedAt?: string
}

interface ViewOptions {
  readonly label: 'Namespace' | 'Partition'
  readonly definition: ResourceDefinition
  /** Follow the name and the description in the form. */
  readonly inputs: readonly Row[]
  readonly consequence: string
}

const viewOf = ({ label, definition, inputs, consequence }: ViewOptions): ResourceView => {
  const isNamespace = label === 'Namespace'
  const what = label.toLowerCase()
  // The defaults of a namespace are in the namespace `default` of its partition.
  const targetOf = ({ id, place: { partition } }: PanelProps) => ({
    path: `/v1/${what}`,
    id,
    place: { ns: undefined, partition: isNamespace ? partition : undefined }
  })
  const Form = (props: ResourceFormProps<Tenancy>) => {
    const hint = 'Up to 63 lower-case letters, digits and hyphens. It cannot be changed later.'
    const name = { required: true, hint, isHidden: props.stored !== undefined }
    return (
      <FieldsForm
        {...props}
        resource="operator"
        without="it may write only where its rules name the place itself."
        label={label}
        uniqueIn={`/v1/${what}s`}
        definition={definition}
        inputs={[{ Name: name }, { Description: {} }, ...inputs]}
      />
    )
  }
  return formView<Tenancy>({
    resource: 'operator',
    Form,
    targetOf,
    status: ({ DeletedAt }) => typeof DeletedAt === 'string' && <Badge tone="warn">being deleted</Badge>,
    summary: fields => [['Description', textOf(fields['Description'])]],
    Actions: panel => {
      const target = targetOf(panel)
      if (target.id === BUILT_IN || panel.fields['DeletedAt'] !== undefined) return null
      return (
        <ConfirmButton
          label={`Delete ${what}`}
          title={`Delete ${what} ${target.id} and everything in it?`}
          typed={target.id}
          action={reason => send('DELETE', pathOf(target), { query: target.place, reason })}
        >
          {consequence}
        </ConfirmButton>
      )
    },
    isEditable: ({ DeletedAt }) => DeletedAt === undefined,
    related: ({ id, place: { partition = BUILT_IN } }, stored) => (
      <>
        {stored?.DeletedAt !== undefined && (
          <Notice tone="warn">
            Its deletion began <Time at={stored.DeletedAt} />. Its contents are being deleted, tokens first.
            Until then it is read-only.
          </Notice>
        )}
        <TenancyLinks {...(isNamespace ? { ns: id, partition } : { ns: '*', partition: id })} />
      </>
    )
  })
}

const META = { label: 'Metadata, one pair per line', name: 'Meta|pair', rows: 3, placeholder: 'owner = team' }

export const namespaceView = viewOf({
  label: 'Namespace',
  definition: namespaceDefinition,
  inputs: [{ ACLs: tokenDefaults }, { Meta: META }],
  consequence:
    'Its tokens, policies, roles, keys, sessions, services and configuration entries are deleted in the background. Nodes stay.'
})

export const partitionView = viewOf({
  label: 'Partition',
  definition: partitionDefinition,
  inputs: [{ DisableGossip: { isHidden: true } }],
  consequence: 'Its namespaces with their contents and its nodes are deleted in the background.'
})
