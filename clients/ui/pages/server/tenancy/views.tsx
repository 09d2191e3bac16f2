// The pages of namespaces and partitions.
import type { ResourceDefinition } from '../../../../../events/definition/types.js'
import { namespaceDefinition, partitionDefinition } from '../../../../../events/namespace.js'
import { Badge, Notice, Section, RelativeTime } from '../../../design/index.js'
import { kinds, namespaces, partitions } from '../../../resources/kinds.js'
import { FieldsForm, type Row } from '../../access/forms/fields-form.js'
import type { ResourceFormProps } from '../../access/forms/form.js'
import { tokenDefaults } from '../../access/forms/inputs.js'
import { textOf } from '../../../resources/kind.js'
import { formView } from '../../resource/form-view.js'
import type { ResourceView } from '../../resource/resource-view.js'

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
  const path = `/v1/${what}`
  const Form = (props: ResourceFormProps<Tenancy>) => {
    const hint = 'Up to 63 lower-case letters, digits and hyphens. It cannot be changed later.'
    const name = { required: true, hint, isHidden: props.stored !== undefined }
    return (
      <FieldsForm
        {...props}
        label={label}
        uniqueIn={`${path}s`}
        definition={definition}
        inputs={[{ Name: name }, { Description: {} }, ...inputs]}
      />
    )
  }
  return formView<Tenancy>({
    what,
    path,
    permission: () => ({ resource: 'operator', segment: '' }),
    Form,
    // The defaults of a namespace are in the namespace `default` of its partition.
    placeOf: ({ partition }) => ({ ns: undefined, partition: isNamespace ? partition : undefined }),
    status: ({ DeletedAt }) => typeof DeletedAt === 'string' && <Badge tone="warn">being deleted</Badge>,
    summary: fields => [['Description', textOf(fields['Description'])]],
    consequence,
    hasContents: true,
    isKept: ({ Name, DeletedAt }) => Name === BUILT_IN || DeletedAt !== undefined,
    isEditable: ({ DeletedAt }) => DeletedAt === undefined,
    related: ({ id, place: { partition = BUILT_IN } }, stored) => (
      <>
        {stored?.DeletedAt !== undefined && (
          <Notice tone="warn">
            Its deletion began <RelativeTime at={stored.DeletedAt} isShort />. Its contents are being deleted,
            tokens first. Until then it is read-only.
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
