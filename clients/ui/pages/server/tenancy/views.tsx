import type { FunctionComponent } from 'preact'
import { Badge, ConfirmButton, Notice, Section } from '../../../design/index.js'
import { catalogKinds, meshKinds, namespaces, keysKinds } from '../../../resources/kinds.js'
import type { ResourceFormProps } from '../../access/forms/form.js'
import { textOf } from '../../../resources/kind.js'
import { formView } from '../../resource/form-view.js'
import type { PanelProps, ResourceView } from '../../resource/resource-view.js'
import { pathOf, send } from '../../send.js'
import { Time } from '../formatters.js'
import { NamespaceForm, PartitionForm, type Namespace, type Partition } from './forms.js'
import { accessKinds } from '../../../resources/access-kinds.js'

/** The namespace and partition that cannot be deleted. */
const BUILT_IN = 'default'
const KINDS = [...accessKinds, ...catalogKinds, ...keysKinds, ...meshKinds]

interface LinksProps {
  /** Undefined for all namespaces of the partition. */
  readonly namespace: string | undefined
  readonly partition: string | undefined
}

const TenancyLinks = ({ namespace, partition }: LinksProps) => {
  const query = new URLSearchParams({ ns: namespace ?? '*', partition: partition ?? 'default' })
  const kinds = namespace === undefined ? [namespaces, ...KINDS] : KINDS
  return (
    <Section title="Contents">
      <p class="in-it">
        {kinds.map(({ path, title }) => (
          <a key={path} href={`/ui/${path}?${query}`}>
            {title}
          </a>
        ))}
      </p>
    </Section>
  )
}

interface ViewOptions<T> {
  readonly what: 'namespace' | 'partition'
  readonly Form: FunctionComponent<ResourceFormProps<T>>
  readonly linksOf: (name: string, partition: string | undefined) => LinksProps
  readonly consequence: string
}

const viewOf = <T extends { readonly Name: string; readonly DeletedAt?: string }>({
  what,
  Form,
  linksOf,
  consequence
}: ViewOptions<T>): ResourceView => {
  // The defaults of a namespace are in the namespace `default` of its partition.
  const targetOf = ({ id, place }: PanelProps) => {
    const partition = what === 'namespace' ? place.partition : undefined
    return { path: `/v1/${what}`, id, place: { ns: undefined, partition } }
  }
  return formView<T>({
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
    related: ({ id, place }, stored) => (
      <>
        {stored?.DeletedAt !== undefined && (
          <Notice tone="warn">
            Its deletion began <Time at={stored.DeletedAt} />. Its contents are being deleted, tokens first.
            Until then it is read-only.
          </Notice>
        )}
        <TenancyLinks {...linksOf(id, place.partition)} />
      </>
    )
  })
}

export const namespaceView = viewOf<Namespace>({
  what: 'namespace',
  Form: NamespaceForm,
  linksOf: (namespace, partition) => ({ namespace, partition }),
  consequence:
    'Its tokens, policies, roles, keys, sessions, services and configuration entries are deleted in the background. Nodes stay.'
})

export const partitionView = viewOf<Partition>({
  what: 'partition',
  Form: PartitionForm,
  linksOf: partition => ({ namespace: undefined, partition }),
  consequence: 'Its namespaces with their contents and its nodes are deleted in the background.'
})
