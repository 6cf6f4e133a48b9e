import { Type } from '@sinclair/typebox'

const ReloadData = Type.Object(
  {
    catalogs: Type.Array(Type.String({ description: 'Name of a catalog.', examples: ['materials'] }), {
      description: 'The catalogs with new content.',
      examples: [['materials', 'processes']],
    }),
  },
  { description: 'The catalogs have new content, so every replica reloads them.' },
)

export const CATALOG_EVENTS = { 'catalog.reloaded': ReloadData }
