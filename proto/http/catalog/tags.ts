/** What the OpenAPI document says of each catalog: where its content comes from, and on what terms. */
export const CATALOG_TAGS = {
  Categories:
    'Equipment classes in two trees. Group numbers and names follow the SFI Group System (SpecTec) and the equipment classes of ISO 14224; descriptions are our own.',
  Criticalities:
    'Levels of the criticality schemes of API Std 20S, IACS Rec. 186, DNV-ST-B203, ASTM F3572, ASTM F3674 and NASA-STD-6030. Their names alone are quoted.',
  Materials: 'Materials by their common designations, compiled by the project.',
  Processes:
    'Ways to make parts, by material type, after the process families of ISO/ASTM 52900; compiled by the project.',
  Standards:
    'Designations, titles, editions and governing bodies of standards. The standards themselves belong to their publishers.',
  Technologies: 'Production technologies with the codes of ISO/ASTM 52900 where it has one; compiled by the project.',
  'UNSPSC categories':
    'Shipped: the UNSPSC Reference of the O*NET database by the U.S. Department of Labor, Employment and Training Administration (USDOL/ETA), used under the CC BY 4.0 licence; arranged by level. An operator may load the full, licensed UNSPSC instead.',
} as const
