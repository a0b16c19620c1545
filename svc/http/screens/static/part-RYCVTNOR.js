import{c as a,d as b,e as c,f as d}from"./part-FKYY3OIX.js";import"./part-SJEUWPWI.js";export{d as Sender,a as StateBadge,c as default,b as nameOf};
