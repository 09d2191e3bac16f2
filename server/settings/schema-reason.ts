// The configuration keys of why something is written.
import { section, texts } from './values.js'

export const reasonConfig = section({
  required: texts(
    'Namespaces in which a write must say why it is made (`X-Service-Reason`): `prod`, in another partition than `default` `p/prod`; `*`: everywhere.',
    {
      pattern: '^(\\*|([a-z0-9-]+/)?[a-z0-9-]+)$',
      reloads: true,
      rule: 'be a list of NAMESPACE, PARTITION/NAMESPACE or *, such as ["prod"]'
    }
  )
})
