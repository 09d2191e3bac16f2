// The pages of the commands, for VitePress.
import { commandPages } from '../.vitepress/cli-pages.mjs'

export default {
  paths: async () =>
    (await commandPages()).map(({ name, markdown }) => ({ params: { command: name }, content: markdown }))
}
