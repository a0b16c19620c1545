import{c as a,d as b,e as c,f as d}from"./part-LKFTUOQN.js";import"./part-52GARYDO.js";import"./part-72PFM37Y.js";export{d as Sender,a as StateBadge,c as default,b as nameOf};
