import{c as a,d as b,e as c,f as d}from"./part-32MTUL2V.js";import"./part-ZRLLPYCU.js";export{d as Sender,a as StateBadge,c as default,b as nameOf};
