// The page that creates a resource of a kind.
import { useState } from 'preact/hooks'
import { announce, Breadcrumbs, Field, Guard, Heading } from '../design/index.js'
import { resourcePage, type Kind } from '../resources/kind.js'
import { namespaces, partitions } from '../resources/kinds.js'
import { ALL, useTenancy } from '../session/tenancy.js'
import { useRoute } from '../session/use-response.js'
import { useView } from './resource/use-view.js'

export const NewPage = ({ kind }: { readonly kind: Kind }) => {
  const route = useRoute()
  const { ns, query } = useTenancy()
  const [namespace, setNamespace] = useState(ns === ALL ? '' : ns)
  const { New } = useView(kind.topic) ?? {}
  const { path, title, one, resource } = kind
  const isAcl = resource === 'acl'
  const partition = kind === partitions ? undefined : query.partition
  const place = { ns: isAcl ? namespace.trim() || undefined : undefined, partition }
  const target = { path: `/v1/${isAcl ? 'acl/' : ''}${one.replace(' ', '-')}`, id: undefined, place }
  const open = (key: string): void => {
    route(resourcePage(path, { key, ...place }))
    announce(`Created ${one}.`)
  }
  return (
    <main class="resource">
      <Breadcrumbs links={[[`/ui/${path}`, title]]} />
      <Heading>{`Create ${one}${kind === namespaces && partition ? ` in partition ${partition}` : ''}`}</Heading>
      <Guard resource={resource} place={place}>
        {isAcl && (
          <div class="fields wide-form">
            <Field label="Namespace" placeholder="default" value={namespace} change={setNamespace} />
          </div>
        )}
        {New && <New target={target} done={open} />}
      </Guard>
    </main>
  )
}
